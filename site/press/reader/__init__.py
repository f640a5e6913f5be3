"""What readers do on a page: predict, try their own kernel, choose a machine."""
