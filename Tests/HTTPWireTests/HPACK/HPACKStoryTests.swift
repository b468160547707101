import Foundation
import Testing

@testable import ProxydHTTPWire

/// The stories of hpack-test-case: heads as other encoders wrote them. PROXYD_HPACK_STORIES names
/// the folder that has the folders of the encoders.
@Suite(.enabled(if: Story.folder != nil, "PROXYD_HPACK_STORIES is not set"))
struct HPACKStoryTests {
    @Test func `every block of hpack-test-case decodes to its field list and survives reencoding`()
        throws
    {
        var blockCount = 0
        var fileCount = 0
        for (name, story) in try stories() {
            var decoder = HPACKDecoder(tableByteCountMax: 4_096)
            var encoder = HPACKEncoder()
            var ours = HPACKDecoder(tableByteCountMax: 4_096)
            var size = 4_096
            for (number, item) in story.cases.enumerated() {
                if let wanted = item.tableByteCountMax, wanted != size {
                    size = wanted
                    decoder.setTableByteCountMax(size)
                    ours.setTableByteCountMax(size)
                    encoder.setPeerTableByteCountMax(size)
                }
                let list = try decoder.list(of: HPACKHex.bytes(item.wire))
                let wanted = item.headers.flatMap { $0.map { "\($0.key): \($0.value)" } }
                #expect(list.map(\.description) == wanted, "\(name), block \(number)")
                // What it says is written by us, and read again.
                let again = try ours.list(of: encoder.block(of: list))
                #expect(again.map(\.description) == wanted, "\(name), block \(number)")
                blockCount += 1
            }
            fileCount += 1
        }
        print("\(blockCount) blocks of \(fileCount) stories match")
        #expect(blockCount > 0)
    }

    /// Those that have blocks; the raw data has only lists.
    private func stories() throws -> [(name: String, story: Story)] {
        let folder = try #require(Story.folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try files.sorted().compactMap { path in
            guard path.hasSuffix(".json"), !path.hasPrefix("raw-data/") else { return nil }
            let data = try Data(contentsOf: folder.appending(path: path))
            return (path, try JSONDecoder().decode(Story.self, from: data))
        }
    }
}

private struct Story: Decodable {
    struct Case: Decodable {
        let wire: String
        let headers: [[String: String]]
        /// What the decoder allows from this block on.
        let tableByteCountMax: Int?

        private enum CodingKeys: String, CodingKey {
            case wire, headers
            case tableByteCountMax = "header_table_size"
        }
    }
    let cases: [Case]

    static let folder = ProcessInfo.processInfo.environment["PROXYD_HPACK_STORIES"]
        .map { URL(filePath: $0) }
}
