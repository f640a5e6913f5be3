# title: An all-reduce by its size: four ways, and what an alpha and a beta predict of the ring
# needs: allreduce_us_mpi allreduce_us_ring model_us_ring model_error_fitted model_error_predicted
# shows: allreduce_us_mpi allreduce_us_ring allreduce_us_through_window allreduce_us_in_window model_us_ring model_error_predicted
# Above, the time; below, the model of the ring over what was measured.
height = 784
load "style.gp"
load tables."/values.gp"
prefix = ""
load "allreduce.gp"
