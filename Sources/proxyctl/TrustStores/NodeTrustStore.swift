/// Node: certificates compiled in, plus those added by its options and variables.
struct NodeTrustStore: TrustStore {
    /// Prints the certificates that Node trusts. `getCACertificates` (22.15) returns all of them;
    /// before that, a build or an option that uses OpenSSL's store is visible in the configuration.
    static let script = """
        const tls = require('tls');
        const print = (list) => list.forEach((pem) => console.log(pem));
        if (tls.getCACertificates) {
          print(tls.getCACertificates('default'));
        } else {
          const options = [...process.execArgv, ...(process.env.NODE_OPTIONS || '').split(' ')];
          const built = process.config.variables.openssl_use_def_ca_store;
          const asked = options.includes('--use-openssl-ca');
          console.log('store', built || asked ? 'openssl' : 'bundled');
        }
        """

    func check(_ inquiry: TrustInquiry) -> [TrustFinding] {
        let runner = inquiry.environment.runner
        guard let node = runner.find("node") ?? runner.find("nodejs"),
            let result = runner.run(node, ["-e", NodeTrustStore.script]), result.exitCode == 0
        else { return [] }
        let place = self.place(inquiry, result)
        let verdict: TrustFinding.Verdict = trusts(inquiry, result) ? .trusts : .doesNotTrust
        return [
            TrustFinding(
                program: "Node", place: place, verdict: verdict,
                remedy: verdict == .trusts ? nil : remedy(inquiry))
        ]
    }

    private func usesOpenSSLStore(_ result: ProgramResult) -> Bool {
        result.outputText.hasPrefix("store openssl")
    }

    private func place(_ inquiry: TrustInquiry, _ result: ProgramResult) -> String {
        if let extra = inquiry.variable("NODE_EXTRA_CA_CERTS") { return extra }
        return usesOpenSSLStore(result) ? openSSLBundle(inquiry) : "certificates compiled in"
    }

    private func openSSLBundle(_ inquiry: TrustInquiry) -> String {
        inquiry.variable("SSL_CERT_FILE") ?? inquiry.systemPath(TrustInquiry.systemBundlePath)
    }

    private func trusts(_ inquiry: TrustInquiry, _ result: ProgramResult) -> Bool {
        if PEMBundle.certificates(in: result.output).contains(inquiry.certificate) { return true }
        if let extra = inquiry.variable("NODE_EXTRA_CA_CERTS"), inquiry.isInBundle(extra) == true {
            return true
        }
        return usesOpenSSLStore(result) && inquiry.isInBundle(openSSLBundle(inquiry)) == true
    }

    /// The variable adds to the compiled-in certificates, so this one certificate is enough.
    private func remedy(_ inquiry: TrustInquiry) -> String {
        "export NODE_EXTRA_CA_CERTS=\(ShellQuoting.quote(inquiry.certificatePath))"
    }
}
