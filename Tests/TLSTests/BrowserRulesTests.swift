import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// What Chromium refuses in a chain and OpenSSL alone would not.
@Suite(.enabled(if: OpenSSLTool.path != nil, "the openssl program is not installed"))
struct BrowserRulesTests {
    /// The empty DNS name, which every name is below.
    private static let excludesAll = "DER:3006A10430028200"
    private static let name = "subjectAltName=DNS:b.a.example"

    /// What is said of a chain, in a session and apart from one; nil where it is good.
    private func verdict(
        issuer: [String] = [], leaf: [String], wanting name: String = "b.a.example"
    ) throws -> String? {
        let chain = try MadeChain(issuer: issuer, leaf: leaf)
        let duet = try chain.duet(wanting: name)
        duet.shakeHands()
        let failure = try chain.failure(wanting: name)
        #expect(duet.clientError?.message == failure?.problem.message)
        #expect(duet.isEstablished == (failure == nil))
        if failure != nil { #expect(duet.serverError != nil, "the server is told by an alert") }
        return failure?.problem.message
    }

    @Test
    func `a wildcard certificate is rejected if it covers a name that its issuer may not sign for`()
        throws
    {
        let constraints = [
            "nameConstraints=critical,permitted;DNS:a.example,excluded;DNS:B.a.example"
        ]
        let wildcard = "subjectAltName=DNS:*.A.example"
        for name in ["b.a.example", "c.a.example"] {
            let verdict = try verdict(issuer: constraints, leaf: [wildcard], wanting: name)
            #expect(
                verdict == "certificate not accepted: it is for *.A.example, and an issuer may not"
                    + " sign for b.a.example")
        }
    }

    @Test(arguments: ["c.b.a.example", "b.a.example.org", "xb.example", "example"])
    func `a wildcard certificate that covers no excluded name is accepted`(excluded: String) throws
    {
        let constraints = ["nameConstraints=critical,excluded;DNS:\(excluded)"]
        let leaf = ["subjectAltName=DNS:*.a.test"]
        #expect(try verdict(issuer: constraints, leaf: leaf, wanting: "b.a.test") == nil)
    }

    @Test func `a certificate without the policy that its issuer requires is rejected`() throws {
        let asks = "policyConstraints=critical,requireExplicitPolicy:0"
        let policy = "certificatePolicies=1.2.3.4"
        let refused = try verdict(issuer: [asks], leaf: [Self.name])
        #expect(refused == "chain of certificates not accepted: no explicit policy")
        #expect(try verdict(issuer: [asks, policy], leaf: [Self.name]) != nil)
        #expect(try verdict(issuer: [asks, policy], leaf: [Self.name, policy]) == nil)
        #expect(try verdict(issuer: [policy], leaf: [Self.name]) == nil)
    }

    @Test(arguments: [
        "DER:3000", "DER:0500", "critical,permitted;DNS:*.a.example", "excluded;DNS:c*.a.example",
        "critical,excluded;IP:10.0.0.0/255.0.255.0",
        // A network of nine bytes; a depth of one at least.
        "DER:300FA10D300B8709000000000000000000", "DER:3013A011300F82096C6F63616C686F737480020001",
    ])
    func `a certificate chain with malformed name constraints is rejected`(constraints: String)
        throws
    {
        let verdict = try verdict(
            issuer: ["nameConstraints=\(constraints)"], leaf: [Self.name])
        #expect(
            verdict?.contains("malformed") == true || verdict?.contains("subtree") == true,
            "\(verdict as Any)")
    }

    @Test(arguments: [
        "permitted;DNS:a.example", "permitted;DNS:.a.example", excludesAll, "DER:3006A00430028200",
        "excluded;IP:10.0.0.0/255.0.0.0", "excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0",
        "excluded;email:x.example",
    ])
    func `a certificate chain with name constraints is rejected only if they exclude the host`(
        constraints: String
    ) throws {
        let verdict = try verdict(
            issuer: ["nameConstraints=critical,\(constraints)"], leaf: [Self.name])
        #expect((verdict == nil) == (constraints != Self.excludesAll), "\(verdict as Any)")
    }

    @Test(arguments: [
        ("authorityInfoAccess", "authority information access"),
        ("certificatePolicies", "certificate policies"),
        ("policyConstraints", "policy constraints"),
        ("inhibitAnyPolicy", "inhibit any-policy"),
        ("subjectKeyIdentifier", "subject key identifier"),
        ("subjectAltName", "subject alternative name"),
    ])
    func `the error for a malformed certificate extension names the extension`(
        key: String, name: String
    ) throws {
        let malformed = ["\(key)=DER:04820000"]
        let names = key == "subjectAltName" ? [] : [Self.name]
        let leaf = try verdict(leaf: names + malformed)
        #expect(
            leaf == "certificate not accepted: it has a malformed extension \"\(name)\"")
        let issuer = try verdict(issuer: malformed, leaf: [Self.name])
        #expect(
            issuer == "issuer's certificate (CN=issuer) not accepted: it has a malformed extension"
                + " \"\(name)\"")
    }

    /// Each is read by some versions of OpenSSL, or by all.
    @Test(arguments: [
        "subjectKeyIdentifier=DER:0481020102", "subjectKeyIdentifier=DER:24040402AABB",
        "basicConstraints=DER:3003010101", "keyUsage=DER:03020701", "inhibitAnyPolicy=DER:02020001",
        "extendedKeyUsage=DER:300A06082B060105050703010500",
        "authorityKeyIdentifier=DER:308000000000", "authorityKeyIdentifier=DER:3006A00404020102",
        "authorityInfoAccess=DER:3015301306082B06010505073001A60716056874743A2F",
        "subjectAltName=DER:300FA20D160B622E612E6578616D706C65",
        "policyConstraints=DER:30810380010A",
    ])
    func `a certificate with an extension that is not valid DER is rejected`(line: String) throws {
        let names = line.hasPrefix("subjectAltName") ? [] : [Self.name]
        let refused = try verdict(leaf: names + [line])
        #expect(refused?.contains("it has a malformed extension") == true, "\(refused as Any)")
    }

    @Test func `a certificate with a valid authority information access extension is accepted`()
        throws
    {
        let access = "authorityInfoAccess=OCSP;URI:http://ocsp.example/,caIssuers;DNS:a.example"
        #expect(try verdict(leaf: [Self.name, access]) == nil)
    }

    @Test func `if a certificate has an IP address only as a DNS name, the error says so`()
        throws
    {
        let verdict = try verdict(leaf: ["subjectAltName=DNS:8.8.8.8"], wanting: "8.8.8.8")
        #expect(verdict == "certificate has 8.8.8.8 as a DNS name, not as an address")
    }
}
