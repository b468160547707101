import Foundation
import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydHTTPWire

/// Python's hpack and nghttp2 read what we write and write what we read. PROXYD_HPACK_BLOCKS says
/// how many blocks each way, PROXYD_HPACK_PYTHON which Python has hpack.
@Suite(.serialized) struct HPACKPeerTests {
    private static let blockCount =
        ProcessInfo.processInfo.environment["PROXYD_HPACK_BLOCKS"].flatMap { Int($0) } ?? 2_000
    private static let connectionBlockCount = 50

    /// A block on one of several connections, each of which begins with new tables.
    private struct Case {
        let connection: Int
        let sizes: [Int]
        let list: [HPACKLine]
    }

    private static func cases(seed: UInt64) -> [Case] {
        var heads = RandomHeads(seed: seed)
        return (0..<blockCount).map { number in
            let connection = number / connectionBlockCount
            let count = heads.random.below(10) == 0 ? 1 + heads.random.below(2) : 0
            let sizes = (0..<count).map { _ in heads.size() }
            return Case(connection: connection, sizes: sizes, list: heads.list())
        }
    }

    private static func pairs(_ list: [HPACKLine]) -> [String] {
        list.map { "\(HPACKHex.text($0.name)):\(HPACKHex.text($0.value))" }
    }

    private static func line(_ item: Case, block: [UInt8]?) -> String {
        let sizes = item.sizes.isEmpty ? "-" : item.sizes.map(String.init).joined(separator: ",")
        let ours = block.map { "x" + HPACKHex.text($0) } ?? "-"
        return (["\(item.connection)", sizes, ours] + pairs(item.list)).joined(separator: " ")
    }

    @Test(.enabled(if: HPACKPeer.hpack.isThere, "needs Python's hpack"))
    func `Python's hpack decodes what the HPACK encoder writes`() throws {
        try checkReading(.hpack)
    }

    @Test(.enabled(if: HPACKPeer.nghttp2.isThere, "needs libnghttp2"))
    func `nghttp2 decodes what the HPACK encoder writes`() throws { try checkReading(.nghttp2) }

    @Test(.enabled(if: HPACKPeer.hpack.isThere, "needs Python's hpack"))
    func `the HPACK decoder decodes what Python's hpack writes`() throws {
        try checkWriting(.hpack)
    }

    @Test(.enabled(if: HPACKPeer.nghttp2.isThere, "needs libnghttp2"))
    func `the HPACK decoder decodes what nghttp2 writes`() throws { try checkWriting(.nghttp2) }

    @Test(.enabled(if: HPACKPeer.nghttp2.isThere, "needs libnghttp2"))
    func `the HPACK decoder and nghttp2 agree on damaged blocks except on misplaced size updates`()
        throws
    {
        var heads = RandomHeads(seed: 5)
        var lines: [String] = []
        var ours: [String] = []
        var errors: [HPACKError?] = []
        for number in 0..<Self.blockCount {
            var encoder = HPACKEncoder()
            let block = Damage.apply(to: encoder.block(of: heads.list()), using: &heads.random)
            lines.append("\(number) - x\(HPACKHex.text(block))")
            var decoder = HPACKDecoder(tableByteCountMax: 4_096)
            do throws(HPACKError) {
                let list = try decoder.list(of: block)
                ours.append((["read"] + Self.pairs(list)).joined(separator: " "))
                errors.append(nil)
            } catch {
                ours.append("refused")
                errors.append(error)
            }
        }
        let theirs = try HPACKPeer.nghttp2.answers(to: lines)
        #expect(theirs.count == ours.count)
        var differenceCount = 0
        for (number, (our, their)) in zip(ours, theirs).enumerated() where our != their {
            // It takes any number of sizes.
            #expect(errors[number] == .misplacedTableSize, "\(lines[number]): \(our) \(their)")
            differenceCount += 1
        }
        #expect(ours.contains("refused") && differenceCount < Self.blockCount / 50)
    }

    private func checkReading(_ peer: HPACKPeer) throws {
        let cases = Self.cases(seed: 1)
        var encoder = HPACKEncoder()
        var blocks: [String] = []
        for (number, item) in cases.enumerated() {
            if number % Self.connectionBlockCount == 0 { encoder = HPACKEncoder() }
            for size in item.sizes { encoder.setPeerTableByteCountMax(size) }
            blocks.append(Self.line(item, block: encoder.block(of: item.list)))
        }
        let answers = try peer.answers(to: blocks)
        #expect(answers.count == cases.count)
        for (item, answer) in zip(cases, answers) {
            #expect(answer == (["read"] + Self.pairs(item.list)).joined(separator: " "))
        }
    }

    private func checkWriting(_ peer: HPACKPeer) throws {
        let cases = Self.cases(seed: 2)
        let answers = try peer.answers(to: cases.map { Self.line($0, block: nil) })
        #expect(answers.count == cases.count)
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        for (number, (item, answer)) in zip(cases, answers).enumerated() {
            if number % Self.connectionBlockCount == 0 {
                decoder = HPACKDecoder(tableByteCountMax: 4_096)
            }
            for size in item.sizes { decoder.setTableByteCountMax(size) }
            let list = try decoder.list(of: HPACKHex.bytes(answer.dropFirst(6)))
            #expect(list.map(\.name) == item.list.map(\.name))
            #expect(list.map(\.value) == item.list.map(\.value))
        }
    }
}
