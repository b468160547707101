import ClientLib
import Foundation
import ProxydClientTestSupport
import Testing

@testable import ProxydTLS

/// Pinned certificates and keys.
struct PinningTests {
    private func error(
        _ context: TLSServerContext, _ authority: TestAuthority,
        _ evaluator: any ServerTrustEvaluating
    ) async throws -> ServerTrustError? {
        let server = try ScriptedServer.secure(context)
        var configuration = authority.configuration
        configuration.serverTrustManager = ServerTrustManager(evaluators: ["127.0.0.1": evaluator])
        let session = Session(configuration: configuration)
        let response = await session.request(server.secureURL).serializingData().response
        #expect(server.received.count == (response.error == nil ? 1 : 0))
        guard let error = response.error else { return nil }
        #expect(error.kind == .serverTrustEvaluationFailed)
        return try #require(error.underlying as? ServerTrustError)
    }

    @Test func `the pinned certificate may be the server's own certificate or its issuer's`()
        async throws
    {
        let authority = try TestAuthority()
        let leaf = try authority.leaf()
        let context = try authority.context(leaf)
        for pin in [leaf.shown, authority.root] {
            let evaluator = PinnedCertificatesTrustEvaluator(certificates: [try #require(pin)])
            #expect(try await error(context, authority, evaluator) == nil)
        }
    }

    @Test func `certificate pinning rejects a different certificate of the same CA`() async throws {
        let authority = try TestAuthority()
        let evaluator = PinnedCertificatesTrustEvaluator(
            certificates: [try #require(try authority.leaf().shown)])
        let context = try authority.context(authority.leaf())
        guard
            case .certificatePinningFailed("127.0.0.1", let chain)? = try await error(
                context, authority, evaluator)
        else {
            Issue.record("not refused for its pin")
            return
        }
        #expect(chain.count == 2)
    }

    @Test
    func `a pinned self-signed certificate is trusted only with acceptSelfSignedCertificates`()
        async throws
    {
        let authority = try TestAuthority()
        let leaf = try authority.leaf(isSelfSigned: true)
        let context = try authority.context(leaf)
        let pins = [try #require(leaf.shown)]
        let accepting = PinnedCertificatesTrustEvaluator(
            certificates: pins, acceptSelfSignedCertificates: true)
        #expect(try await error(context, authority, accepting) == nil)
        let strict = PinnedCertificatesTrustEvaluator(certificates: pins)
        #expect(
            try await error(context, authority, strict)?.refusal?.reason == .selfSigned)
    }

    @Test
    func `a pinned certificate is checked for expiry and host unless those checks are turned off`()
        async throws
    {
        let authority = try TestAuthority()
        let expired = try authority.leaf(validity: .init(from: 1_600_000_000, to: 1_704_110_400))
        let foreign = try authority.leaf("elsewhere.example")
        func evaluator(_ leaf: LeafCertificate, _ dates: Bool, _ host: Bool) throws
            -> PinnedCertificatesTrustEvaluator
        {
            PinnedCertificatesTrustEvaluator(
                certificates: [try #require(leaf.shown)], performDefaultValidation: dates,
                validateHost: host)
        }
        let first = try await error(
            authority.context(expired), authority, evaluator(expired, true, true))
        #expect(first?.refusal?.reason == .expired)
        let second = try await error(
            authority.context(expired), authority, evaluator(expired, false, true))
        #expect(second == nil)
        let third = try await error(
            authority.context(foreign), authority, evaluator(foreign, true, true))
        #expect(third?.refusal?.reason == .wrongHost)
        let fourth = try await error(
            authority.context(foreign), authority, evaluator(foreign, true, false))
        #expect(fourth == nil)
    }

    @Test
    func `a server that sends a pinned CA certificate besides its own unrelated one is rejected`()
        async throws
    {
        let authority = try TestAuthority()
        let stranger = try authority.leaf(isSelfSigned: true)
        let context = try authority.context(stranger, alsoSending: [authority.certificate])
        let root = try #require(authority.root)
        let lax = PinnedCertificatesTrustEvaluator(
            certificates: [root], performDefaultValidation: false)
        #expect(try await error(context, authority, lax) != nil)
        let keys = PublicKeysTrustEvaluator(
            certificates: [root], performDefaultValidation: false)
        #expect(try await error(context, authority, keys) != nil)
        let accepting = PinnedCertificatesTrustEvaluator(
            certificates: [root], acceptSelfSignedCertificates: true)
        #expect(try await error(context, authority, accepting) != nil)
    }

    @Test
    func `a key pin whose Base64 begins with a slash is parsed with or without a sha256 prefix`()
        throws
    {
        let pin = try #require(PublicKeyPin(sha256: [0xFF] + [UInt8](repeating: 7, count: 31)))
        #expect(pin.description.hasPrefix("sha256//"))
        let digits = pin.description.dropFirst("sha256/".count)
        for text in ["sha256/\(digits)", "sha256//\(digits)", "\(digits)"] {
            #expect(PublicKeyPin(text) == pin, "\(text)")
        }
        #expect(PublicKeyPin("sha256///\(digits)") == nil)
    }

    @Test func `public key pinning accepts a renewed certificate with the same key`() async throws {
        let authority = try TestAuthority()
        let old = try authority.leaf()
        let renewed = try authority.leaf(key: old.key)
        let pin = try #require(old.shown?.publicKeyPin)
        let written = try #require(PublicKeyPin(pin.description))
        #expect(written == pin)
        let context = try authority.context(renewed)
        for pins in [[pin], [try #require(authority.root?.publicKeyPin)]] {
            let evaluator = PublicKeysTrustEvaluator(pins: pins)
            #expect(try await error(context, authority, evaluator) == nil)
        }
    }

    @Test func `public key pinning rejects a different key`() async throws {
        let authority = try TestAuthority()
        let evaluator = PublicKeysTrustEvaluator(
            certificates: [try #require(try authority.leaf().shown)])
        let context = try authority.context(authority.leaf())
        guard
            case .publicKeyPinningFailed? = try await error(context, authority, evaluator)
        else {
            Issue.record("not refused for its key")
            return
        }
    }

    @Test func `pinning without any certificates or keys is an error`() async throws {
        let authority = try TestAuthority()
        let context = try authority.context(authority.leaf())
        let first = try await error(
            context, authority,
            PinnedCertificatesTrustEvaluator(
                certificates: [], acceptSelfSignedCertificates: true))
        guard case .noCertificatesFound? = first else {
            Issue.record("another error")
            return
        }
        let second = try await error(context, authority, PublicKeysTrustEvaluator(pins: []))
        guard case .noPublicKeysFound? = second else {
            Issue.record("another error")
            return
        }
    }

    @Test func `a pinned host is not contacted over plain HTTP`() async throws {
        let authority = try TestAuthority()
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "x") }
        var configuration = SessionConfiguration()
        configuration.serverTrustManager = ServerTrustManager(evaluators: [
            "127.0.0.1": CompositeTrustEvaluator(evaluators: [
                PinnedCertificatesTrustEvaluator(certificates: [try #require(authority.root)])
            ])
        ])
        let session = Session(configuration: configuration)
        let error = try #require(
            await session.request(server.url).serializingData().response.error)
        guard case .notSecure("127.0.0.1")? = error.underlying as? ServerTrustError else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(error.fault == .caller)
        #expect(server.connectionCount == 0)
    }

    @Test func `pinned certificates are read from a directory, in DER or PEM format`() throws {
        let authority = try TestAuthority()
        let leaf = try authority.leaf()
        let directory = authority.directory + "/pins"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        _ = try authority.write(leaf.certificate.der, to: "pins/a.cer")
        _ = try authority.write(leaf.certificate.pem, to: "pins/b.CRT")
        _ = try authority.write(authority.certificate.der, to: "pins/c.der")
        _ = try authority.write(
            leaf.certificate.pem + authority.certificate.pem, to: "pins/d.pem")
        _ = try authority.write(Array("words".utf8), to: "pins/readme.txt")
        let found = try ServerCertificate.all(inDirectory: directory)
        #expect(found == [leaf.shown, leaf.shown, authority.root, leaf.shown, authority.root])

        let odd = try authority.write(
            Array(leaf.certificate.der.dropLast()), to: "pins/e.cer")
        let error = #expect(throws: CertificateFileError.self) {
            try ServerCertificate.all(inDirectory: directory)
        }
        #expect(error?.path == odd)
        #expect(throws: CertificateFileError.self) {
            try ServerCertificate.all(inDirectory: "/nonexistent")
        }
    }

    @Test func `a truncated certificate is rejected`() throws {
        let der = try TestAuthority().leaf().certificate.der
        for count in 0..<der.count {
            #expect(ServerCertificate(der: Array(der.prefix(count))) == nil)
        }
        #expect(ServerCertificate(der: der + [0]) == nil)
    }

    @Test func `a certificate with one changed bit is never trusted and causes no crash`() throws {
        let leaf = try TestAuthority().leaf()
        let original = try #require(leaf.shown)
        let trusting = try TrustStore(certificates: [original.der])
        var readCount = 0
        for index in original.der.indices {
            var changed = original.der
            changed[index] ^= 1 << UInt8(index % 8)
            guard let odd = ServerCertificate(der: changed) else { continue }
            readCount += 1
            #expect(odd != original)
            _ = (odd.subject, odd.issuer, odd.alternativeNames, odd.notBefore, odd.notAfter)
            _ = (odd.publicKeyPin, odd.isFor(host: "127.0.0.1"), odd.isFor(host: "a.example"))
            #expect(throws: VerificationFailure.self) {
                try trusting.verify([changed], rules: .init(name: "127.0.0.1"))
            }
        }
        #expect(readCount > 0)
    }

    @Test(arguments: ["", "sha256/", "sha256/AAAA", "sha1/AAAA", "%%%"])
    func `a string that is not a key pin is rejected`(text: String) {
        #expect(PublicKeyPin(text) == nil)
    }
}
