"""What the records say: numbers, claims and predictions."""
