// Linux headers for the kernel's socket tables, which Swift's Glibc module does not carry.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
