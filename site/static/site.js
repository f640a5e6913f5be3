// Search shows a few words of each page it finds, which it fetches. A page opened from a file may not fetch.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
