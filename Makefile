# Every target is the script of the same name, for machines without make.
# `make run ARGS="--listen 127.0.0.1:3128"`, `make install PREFIX=/usr DESTDIR=/tmp/stage`,
# `make release VERSION=0.3.0`.

targets := build run test test-fleet test-browser page-screenshots test-asan test-tsan coverage lint format bench fuzz fuzz-long faults \
	faults-long faults-lazyfs soak soak-long install uninstall \
	deb test-packages sbom release release-check test-release test-oldest-openssl

.PHONY: $(targets) clean
$(targets):
	@scripts/$@ $(ARGS)

clean:
	rm -rf .build Benchmarks/.build Benchmarks/Peers/.build Fuzz/.build
