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

        /// Served now, without revocation lists or a depth of its own, to a client of HTTP.
        var isForUs: Bool {
            validation_kind == "SERVER" && validation_time == nil && crls.isEmpty
                && max_chain_depth == nil && peer_certificate_key != nil
                && ["DNS", "IP"].contains(expected_peer_name?.kind ?? "")
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
