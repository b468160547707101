import Foundation
import ProxydCharsets
import Testing

/// The index files of the standard, which are not part of the repository.
private enum IndexFile {
    static let absence: Comment = "no ../shared/vectors beside the repository"

    static let folder: URL? = {
        var directory = URL(filePath: #filePath)
        while directory.path != "/" {
            directory.deleteLastPathComponent()
            let candidate = directory.appending(path: "shared/vectors/encoding")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        return nil
    }()

    static func json(_ name: String) throws -> Any {
        let folder = try #require(folder)
        return try JSONSerialization.jsonObject(
            with: Data(contentsOf: folder.appending(path: name)))
    }

    /// The characters of an index by their pointers.
    static func index(_ name: String) throws -> [(pointer: Int, character: Unicode.Scalar)] {
        let all = try #require(try json("indexes.json") as? [String: Any])
        let values = all[name] as? [Any] ?? []
        return values.enumerated().compactMap { pointer, value in
            (value as? Int).flatMap { Unicode.Scalar(UInt32($0)) }.map { (pointer, $0) }
        }
    }
}

@Suite(.enabled(if: IndexFile.folder != nil, IndexFile.absence))
struct CharsetIndexTests {
    /// The bytes of a pointer of a double-byte encoding.
    private func bytes(_ charset: Charset, _ pointer: Int) -> [UInt8]? {
        func pair(_ columns: Int, _ lead: (Int) -> Int, _ trail: (Int) -> Int) -> [UInt8]? {
            let bytes = [lead(pointer / columns), trail(pointer % columns)]
            return bytes.allSatisfy { $0 <= 0xFE } ? bytes.map { UInt8($0) } : nil
        }
        switch charset {
        case .big5: return pair(157, { $0 + 0x81 }, { $0 + ($0 < 0x3F ? 0x40 : 0x62) })
        case .eucKR: return pair(190, { $0 + 0x81 }, { $0 + 0x41 })
        case .gb18030: return pair(190, { $0 + 0x81 }, { $0 + ($0 < 0x3F ? 0x40 : 0x41) })
        case .eucJP: return pair(94, { $0 + 0xA1 }, { $0 + 0xA1 })
        case .shiftJIS:
            return pair(188, { $0 + ($0 < 0x1F ? 0x81 : 0xC1) }, { $0 + ($0 < 0x3F ? 0x40 : 0x41) })
        default: return [UInt8(0x80 + pointer)]
        }
    }

    @Test(
        arguments: [
            (.big5, "big5"), (.eucKR, "euc-kr"), (.gb18030, "gb18030"), (.eucJP, "jis0208"),
            (.shiftJIS, "jis0208"),
        ] as [(Charset, String)]
    )
    func `every double-byte charset index entry is decoded, and encoded back where possible`(
        charset: Charset, name: String
    ) throws {
        var checkedCount = 0
        for (pointer, character) in try IndexFile.index(name) {
            guard let bytes = bytes(charset, pointer) else { continue }
            checkedCount += 1
            let decoded = charset.decode(bytes.span)
            #expect(decoded.text == String(character), "\(pointer)")
            guard let encoded = try? charset.encode(decoded.text) else {
                // Big5 does not encode the characters of Hong Kong.
                #expect(charset == .big5 && pointer < 5024, "\(pointer)")
                continue
            }
            #expect(charset.decode(encoded.span).text == decoded.text, "\(pointer)")
        }
        #expect(checkedCount > 6000)
    }

    @Test func `every character of JIS X 0212 is decoded from EUC-JP`() throws {
        for (pointer, character) in try IndexFile.index("jis0212") {
            let bytes: [UInt8] = [0x8F, UInt8(pointer / 94 + 0xA1), UInt8(pointer % 94 + 0xA1)]
            #expect(Charset.eucJP.decode(bytes.span).text == String(character), "\(pointer)")
        }
    }

    @Test func `every byte of the single-byte charset indexes is decoded and encoded back`() throws
    {
        var checkedCount = 0
        for charset in Charset.allCases {
            let name = charset == .iso8859x8I ? "iso-8859-8" : charset.rawValue.lowercased()
            let index = try IndexFile.index(name)
            guard let last = index.last, last.pointer < 128 else { continue }
            checkedCount += 1
            for (pointer, character) in index {
                let byte = [UInt8(0x80 + pointer)]
                #expect(charset.decode(byte.span).text == String(character), "\(name) \(pointer)")
                #expect(try charset.encode(String(character)) == byte, "\(name) \(pointer)")
            }
        }
        #expect(checkedCount == 28)
    }

    @Test func `four-byte characters of GB 18030 follow the ranges of the Encoding Standard`()
        throws
    {
        let all = try #require(try IndexFile.json("indexes.json") as? [String: Any])
        let ranges = try #require(all["gb18030-ranges"] as? [[Int]])
        for (range, next) in zip(ranges, ranges.dropFirst()) where range[0] < 39_394 {
            for pointer in [range[0], next[0] - 1] where pointer < 39_420 && pointer != 7457 {
                let bytes = [
                    UInt8(pointer / 12_600 + 0x81), UInt8(pointer / 1260 % 10 + 0x30),
                    UInt8(pointer / 10 % 126 + 0x81), UInt8(pointer % 10 + 0x30),
                ]
                let value = UInt32(range[1] + pointer - range[0])
                let character = try #require(Unicode.Scalar(value))
                #expect(Charset.gb18030.decode(bytes.span).text == String(character), "\(pointer)")
                #expect(try Charset.gb18030.encode(String(character)) == bytes, "\(pointer)")
            }
        }
    }

    @Test func `every charset label of the Encoding Standard is recognized`() throws {
        let groups = try #require(try IndexFile.json("encodings.json") as? [[String: Any]])
        var labelCount = 0
        for group in groups {
            for encoding in try #require(group["encodings"] as? [[String: Any]]) {
                let name = try #require(encoding["name"] as? String)
                for label in try #require(encoding["labels"] as? [String]) {
                    #expect(Charset(label: label)?.rawValue == name, "\(label)")
                    labelCount += 1
                }
            }
        }
        #expect(labelCount > 200)
    }
}
