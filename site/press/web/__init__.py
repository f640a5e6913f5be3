"""What the site needs besides its pages: styles and scripts, heads, search, feed, previews."""
