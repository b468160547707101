import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydTLS

/// What is in our certificates, as another program reads it.
@Suite(.enabled(if: OpenSSLTool.path != nil, "the openssl program is not installed"))
struct CertificateContentTests {
    private func text(_ directory: ScratchFolder, _ pem: [UInt8]) throws -> String {
        let file = try directory.write(UUID().uuidString, pem)
        let result = try OpenSSLTool.run(["x509", "-in", file, "-noout", "-text"])
        #expect(result.isGood)
        return result.output
    }

    /// The line after the one with `title`, without white space around it.
    private func value(_ title: String, in text: String) throws -> String {
        let lines = text.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let index = try #require(lines.firstIndex { $0.hasPrefix(title) }, "\(title)")
        return index + 1 < lines.count ? lines[index + 1] : ""
    }

    @Test func `the CA certificate permits signing server certificates only`() throws {
        let authority = try TestAuthority()
        let text = try text(authority.directory, authority.authority.certificatePEM)
        #expect(try value("X509v3 Basic Constraints: critical", in: text) == "CA:TRUE, pathlen:0")
        #expect(
            try value("X509v3 Key Usage: critical", in: text) == "Certificate Sign, CRL Sign")
        #expect(
            try value("X509v3 Extended Key Usage:", in: text) == "TLS Web Server Authentication")
        #expect(text.contains("Public Key Algorithm: id-ecPublicKey"))
        #expect(text.contains("NIST CURVE: P-256"))
        #expect(text.contains("Signature Algorithm: ecdsa-with-SHA256"))
        #expect(!text.contains("Subject Alternative Name"))
    }

    @Test func `the reported details of the CA certificate equal those that openssl prints`() throws
    {
        let authority = try TestAuthority()
        let pem = authority.authority.certificatePEM
        let text = try text(authority.directory, pem)
        let details = try #require(CertificateSummary.all(in: pem).first?.details)
        #expect(details.key == "EC, 256 bits")
        #expect(details.signature == "ecdsa-with-SHA256")
        #expect(details.isAuthority)
        let serial = try value("Serial Number:", in: text).filter(\.isHexDigit).uppercased()
        #expect(details.serial == serial)
    }

    @Test
    func `a leaf certificate has the CA's key identifier and permits server authentication only`()
        throws
    {
        let authority = try TestAuthority()
        let der = try authority.leaves.serverContext(for: "a.example").certificateDER
        let leaf = try text(authority.directory, #require(CertificateSummary(der: der)).pem)
        let issuer = try text(authority.directory, authority.authority.certificatePEM)
        let issuerKey = try value("X509v3 Subject Key Identifier:", in: issuer)
        #expect(issuerKey.count == 59)
        #expect(try value("X509v3 Authority Key Identifier:", in: leaf) == issuerKey)
        #expect(try value("X509v3 Subject Key Identifier:", in: leaf) != issuerKey)
        #expect(try value("X509v3 Basic Constraints: critical", in: leaf) == "CA:FALSE")
        #expect(try value("X509v3 Key Usage: critical", in: leaf) == "Digital Signature")
        #expect(
            try value("X509v3 Extended Key Usage:", in: leaf) == "TLS Web Server Authentication")
        #expect(try value("X509v3 Subject Alternative Name:", in: leaf) == "DNS:a.example")
        #expect(leaf.contains("Version: 3"))
    }

    @Test func `leaf certificates have distinct serial numbers of at least 15 bytes`() throws {
        let authority = try TestAuthority()
        var serials: Set<String> = []
        for number in 0..<8 {
            let context = try authority.leaves.serverContext(for: "\(number).example")
            let summary = try #require(CertificateSummary(der: context.certificateDER))
            let serial = try value(
                "Serial Number:", in: text(authority.directory, summary.pem))
            #expect(!serial.hasPrefix("-"))
            serials.insert(serial)
        }
        #expect(serials.count == 8)
        #expect(serials.allSatisfy { $0.split(separator: ":").count >= 15 })
    }

    @Test
    func `openssl verify -x509_strict accepts leaf certificates for host names and IP addresses`()
        throws
    {
        let authority = try TestAuthority()
        let root = CertificateAuthority.certificatePath(in: authority.directory.path)
        for (name, option) in [
            ("a.example", "-verify_hostname"), ("xn--bcher-kva.example", "-verify_hostname"),
            ("127.0.0.1", "-verify_ip"), ("2001:db8::1", "-verify_ip"),
        ] {
            let context = try authority.leaves.serverContext(for: name)
            let pem = try #require(CertificateSummary(der: context.certificateDER)).pem
            let file = try authority.directory.write(UUID().uuidString, pem)
            let result = try OpenSSLTool.run([
                "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root, option, name,
                file,
            ])
            #expect(result.isGood, "\(result.output)")
        }
    }
}
