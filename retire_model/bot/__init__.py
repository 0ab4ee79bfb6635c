"""Posts reviews to pull requests, and answers comments: the one part that talks to GitHub."""
