"""Generated from proto/pricing/baccarat/v1 by .ci/generate; nothing here is written by hand."""
