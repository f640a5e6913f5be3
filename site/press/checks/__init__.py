"""What can be said of a book without building it: python -m press."""
