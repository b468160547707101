import Foundation
import Testing

@Suite struct MultipartVectorTests {
    private struct Case: Decodable {
        let name: String
        let base64: Data
        let expectYAML: String

        private enum CodingKeys: String, CodingKey {
            case name, base64
            case expectYAML = "expect_yaml"
        }

        var boundary: String { scalars("boundary").first ?? "" }
        var isError: Bool { !scalars("error").isEmpty }
        var names: [String] { scalars("- name") }
        var filenames: [String] { scalars("file_name") }

        /// The data of the parts, joined: enough of YAML for these vectors.
        var content: Data {
            let lines = expectYAML.split(separator: "\n").map { $0.drop { $0 == " " } }
            let data = lines.filter { line in
                !line.contains(":") && !line.isEmpty && !line.hasPrefix("expected")
            }
            return data.reduce(into: Data()) { $0 += Data(base64Encoded: String($1)) ?? Data() }
        }

        private func scalars(_ key: String) -> [String] {
            expectYAML.split(separator: "\n").compactMap { line in
                let line = line.drop { $0 == " " }
                guard line.hasPrefix(key + ":") else { return nil }
                return String(line.dropFirst(key.count + 2))
            }
        }
    }

    @Test(.enabled(if: Vectors.has("multipart/multipart.json")))
    func `the multipart decoder yields the expected parts for every shared multipart vector`()
        throws
    {
        let cases = try Vectors.load("multipart/multipart.json", as: [Case].self)
        #expect(cases.count >= 30)
        for item in cases {
            for size in [1, 5, .max] {
                let result = try? parts(
                    Array(item.base64),
                    boundary: item.boundary,
                    pieceByteCount: size
                )
                guard !item.isError else {
                    // Where theirs is an error, ours has no parts or an error.
                    #expect(result?.parts.isEmpty != false, "\(item.name)")
                    continue
                }
                #expect(result?.parts.map(\.name) == item.names, "\(item.name)")
                #expect(result?.parts.compactMap(\.filename) == item.filenames, "\(item.name)")
                let content = result?.parts.map(\.content).joined() ?? ""
                #expect(Data(content.utf8) == item.content, "\(item.name)")
            }
        }
    }
}
