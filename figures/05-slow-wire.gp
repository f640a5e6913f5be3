# title: An all-reduce between four hosts by its size, and what an alpha and a beta predict of the ring
# needs: network_allreduce_us_mpi network_allreduce_us_ring network_model_us_ring network_model_error_fitted network_model_error_predicted
# shows: network_allreduce_us_mpi network_allreduce_us_ring network_model_us_ring network_model_error_predicted
# Above, the time; below, the model of the ring over what was measured.
height = 784
load "style.gp"
load tables."/values.gp"
prefix = "network_"
load "allreduce.gp"
