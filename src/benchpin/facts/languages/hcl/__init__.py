"""HCL, as Terraform uses it."""
