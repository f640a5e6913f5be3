"""Figures from records, and drawings of ideas."""
