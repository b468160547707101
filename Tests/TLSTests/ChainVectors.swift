import Foundation

/// The file of certificate chains that lies beside the repository.
enum ChainVectors {
    struct Vector: Decodable {
        struct PeerName: Decodable {
            let kind: String
            let value: String
        }

        // The file's own spelling.
        let id: String
        let features: [String]
        let validation_kind: String
        let trusted_certs: [String]
        let untrusted_intermediates: [String]
        let peer_certificate: String
        let peer_certificate_key: String?
        let validation_time: String?
        let max_chain_depth: Int?
        let expected_result: String
        let expected_peer_name: PeerName?
        let crls: [String]

        /// For a client of HTTP: not about the names of people, and with no bound of its own on the
        /// length of chains, which we have none of.
        var isForUs: Bool { validation_kind == "SERVER" && max_chain_depth == nil }

        /// Whether it can be served now, without revocation lists.
        var isServed: Bool {
            isForUs && validation_time == nil && crls.isEmpty && peer_certificate_key != nil
                && ["DNS", "IP"].contains(expected_peer_name?.kind ?? "")
        }

        /// When it is to be verified, in seconds since 1970; nil for now. Certificates know no
        /// fractions of seconds.
        var time: Int? {
            let whole = validation_time?.replacing(/\.[0-9]+/, with: "")
            return whole.flatMap { ISO8601DateFormatter().date(from: $0) }
                .map { Int($0.timeIntervalSince1970) }
        }

        var isGood: Bool { expected_result == "SUCCESS" }
    }

    private struct File: Decodable {
        let testcases: [Vector]
    }

    /// Where the file is; nil where it is not.
    static let path: String? = {
        var directory = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            let file = directory.path + "/shared/vectors/x509/chains.json"
            if FileManager.default.fileExists(atPath: file) { return file }
        }
        return nil
    }()

    static func load() throws -> [Vector] {
        let data = try Data(contentsOf: URL(fileURLWithPath: path ?? ""))
        return try JSONDecoder().decode(File.self, from: data).testcases
    }
}
