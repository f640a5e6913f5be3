# title: An all-reduce by its size: four methods, and what the alpha-beta model predicts for each
# needs: allreduce_us_mpi allreduce_us_ring allreduce_us_doubling allreduce_us_tree allreduce_us_halving_doubling model_us_ring model_us_doubling model_us_tree model_us_halving_doubling
# shows: allreduce_us_mpi allreduce_us_ring allreduce_us_doubling allreduce_us_tree allreduce_us_halving_doubling model_us_ring model_us_doubling model_us_tree model_us_halving_doubling
# Above, the time; below, the model divided by the measurement.
height = 764
load "style.gp"
load tables."/values.gp"
prefix = ""
have_yours = exists("yours")  # your own all-reduce: its last attempt as stars, the others hollow
load "allreduce.gp"
