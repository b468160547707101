# Every target is the script of the same name, for machines without make.
# `make run ARGS="--listen 127.0.0.1:3128"`, `make install PREFIX=/usr DESTDIR=/tmp/stage`.

targets := build run test test-fleet test-browser page-screenshots test-asan test-tsan coverage lint format bench fuzz fuzz-long faults \
	faults-long faults-lazyfs soak soak-long install uninstall \
	deb test-packages release-check sbom test-oldest-openssl

.PHONY: $(targets) clean
$(targets):
	@scripts/$@ $(ARGS)

clean:
	rm -rf .build Benchmarks/.build Benchmarks/Peers/.build Fuzz/.build
