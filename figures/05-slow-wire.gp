# title: An all-reduce between four hosts by its size, and what the alpha-beta model predicts for each
# needs: network_allreduce_us_mpi network_allreduce_us_ring network_allreduce_us_doubling network_allreduce_us_tree network_allreduce_us_halving_doubling network_model_us_ring network_model_us_doubling network_model_us_tree network_model_us_halving_doubling
# shows: network_allreduce_us_mpi network_allreduce_us_ring network_allreduce_us_doubling network_allreduce_us_tree network_allreduce_us_halving_doubling network_model_us_ring network_model_us_doubling network_model_us_tree network_model_us_halving_doubling
# Above, the time; below, the model divided by the measurement.
height = 764
load "style.gp"
load tables."/values.gp"
prefix = "network_"
have_yours = 0
load "allreduce.gp"
