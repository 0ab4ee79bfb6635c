"""A review as text: for reviewdog, code scanning, a job's log, a comment, and the pull-request review API."""
