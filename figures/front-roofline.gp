# title: What one core of this machine can do, and four programs
# needs: peaks_fp32 plateaus_bandwidth kernels
# shows: plateaus_bandwidth peaks_fp32
few = "|vector add|layer norm|blocked matmul|"
load "01-roofline.gp"
