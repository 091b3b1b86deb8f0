"""gossamer: a web crawler that loses nothing, harms no site, explains every decision, and is fast."""
