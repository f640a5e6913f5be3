"""What a page is made of besides numbers and pictures."""
