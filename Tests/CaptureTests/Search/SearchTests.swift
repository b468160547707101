import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

@testable import Capture

@Suite struct SearchTests {
    let searched = SearchedStore()

    // MARK: What is found

    @Test(arguments: 0..<3)
    func `searching with search files finds the same exchanges as without them`(seed: Int) throws {
        var generator = SplitMix(seed: UInt64(seed))
        try record(count: 200, &generator)
        let filters = (0..<60).map { _ in Self.filter(&generator) }
        let reader = try searched.store.reader()
        let expected = try filters.map { try searched.find($0, with: reader) }
        try searched.build(searched.builder())
        #expect(searched.files.numbers.count == 5)
        var helpedCount = 0
        for (filter, ids) in zip(filters, expected) {
            #expect(try searched.find(filter, with: reader) == ids, "\(filter)")
            let first = try searched.find(
                filter, .after(ExchangeID(rawValue: 50)), limit: 7, with: reader)
            #expect(first == ids.reversed().filter { $0 > 50 }.prefix(7).map { $0 }, "\(filter)")
            if let count = try searched.proposedCount(filter), count < 150 { helpedCount += 1 }
        }
        // Filters that the files help with must not be the exception, or nothing is proved.
        #expect(helpedCount > 3)
        #expect(expected.contains { !$0.isEmpty && $0.count < 100 })
    }

    private static let words: [[UInt8]] =
        [
            "token", "TOKEN", "tok", "héé", "日本", "a\"b", "a AND b", "b*c", "---", "\0\0x",
            "abcabc",
            "user=alice", "0123456789012345678901234567890123456789", "\r\n\r\n",
        ].map { Array($0.utf8) } + [
            [0xC3], [0xC3, 0xA9, 0xFF], [0x80, 0x81, 0x82], [0xE6, 0x97],
        ]

    private func record(count: Int, _ generator: inout SplitMix) throws {
        let recorder = try searched.store.recorder()
        for _ in 0..<count {
            let origin =
                "/"
                + Self.text(3, &generator).map { $0 > 0x20 && $0 < 0x7F ? $0 : 0x2E }
                .reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
            var update = Samples.complete(
                recorder.nextExchangeID(), origin, method: "POST",
                requestBody: Self.text(4, &generator))
            if Bool.random(using: &generator) {
                update.upgradedTo = "websocket"
                update.messages = (0..<Int64(3)).map {
                    let direction: MessageRecord.Direction = $0 == 1 ? .toServer : .toClient
                    let kind: MessageRecord.Kind = $0 == 2 ? .event : .text
                    return Samples.message($0, kind, direction, bytes: Self.text(3, &generator))
                }
            }
            let body = Self.body(&generator)
            if Bool.random(using: &generator) {
                update.responseBody.set(body)
            } else {
                update.responseHead = Samples.responseHead(fields: [("Content-Encoding", "gzip")])
                update.responseBody.set(StoredGzip.encode(body))
            }
            recorder.record(update)
        }
        recorder.stop()
    }

    /// Mostly short, sometimes longer than a piece, sometimes no text.
    private static func body(_ generator: inout SplitMix) -> [UInt8] {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0:
            let gap = Int.random(in: 16_300...16_400, using: &generator)
            return [UInt8](repeating: 0x2E, count: gap) + text(9, &generator)
        case 1: return [UInt8](repeating: 1, count: 50) + text(3, &generator)
        default: return text(5, &generator)
        }
    }

    private static func text(_ countMax: Int, _ generator: inout SplitMix) -> [UInt8] {
        (0..<Int.random(in: 0...countMax, using: &generator))
            .flatMap { _ in words.pick(&generator) }
    }

    /// A filter for a piece of what was recorded.
    private static func filter(_ generator: inout SplitMix) -> String {
        let text = text(4, &generator).filter { $0 != 0 && $0 != 0x0D && $0 != 0x0A }
        let piece = text.dropFirst(Int.random(in: 0...4, using: &generator)).prefix(
            Int.random(in: 1...30, using: &generator))
        let value = String(decoding: piece, as: UTF8.self)
            .map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        let test = [
            "body:", "reqbody:", "resbody:", "body=", "url:", "", "path:", "resbody~^tok.",
            "msg:", "ws:", "ws.in:", "sse.data:", "sse.event:",
        ]
        .pick(&generator)
        let whole = test.hasSuffix(".") ? test : "\(test)\"\(value)\""
        return switch Int.random(in: 0..<5, using: &generator) {
        case 0: "\(whole) body:token"
        case 1: "not \(whole)"
        case 2: "\(whole) or url:tok"
        default: whole
        }
    }

    @Test func `a text is found even if it is split between two indexed pieces of a body`() throws {
        let recorder = try searched.store.recorder()
        let size = SearchSchema.pieceByteCount
        for offset in stride(from: size - 60, through: size + 5, by: 1) {
            recorder.recordSample(
                responseBody: [UInt8](repeating: 0x61, count: offset)
                    + Array("the-needle-with-a-length-of-forty-octets".utf8))
        }
        recorder.recordSample(responseBody: [UInt8](repeating: 0x61, count: 3 * size))
        recorder.stop()
        try searched.build(searched.builder(exchangeCountMax: 1_000))
        let filter = "resbody:the-Needle-with-a-length-of-forty-octets"
        #expect(try searched.find(filter).count == 66)
        #expect(try searched.proposedCount(filter) == 66)
        #expect(try searched.proposedCount("req\(filter.dropFirst(3))") == 0)
    }

    @Test func `a filter on message text finds it in messages but not in other bodies`() throws {
        let recorder = try searched.store.recorder()
        for _ in 0..<20 { recorder.recordSample() }
        let filler = String(repeating: "a", count: SearchSchema.pieceByteCount - 7)
        recorder.record(
            Samples.socket(
                recorder.nextExchangeID(),
                [
                    Samples.message(0, .text, .toServer, filler),
                    Samples.message(1, .text, .toClient, "the needle"),
                    Samples.message(2, .ping, .toClient, bytes: [0, 1, 2, 3]),
                ]))
        recorder.recordSample(responseBody: Array("the needle".utf8))
        recorder.record(
            Samples.stream(recorder.nextExchangeID(), ["data: the needle\ndata: b\n\n"]))
        recorder.record(
            Samples.socket(
                recorder.nextExchangeID(),
                [Samples.message(0, .binary, .toServer, bytes: [0, 1] + Array("needle".utf8))]))
        recorder.stop()
        try searched.build(searched.builder())
        // What is no text is looked at in any case.
        for (filter, found, proposed) in [
            ("msg:NEEDLE", [24, 23, 21], 4), ("ws:needle", [24, 21], 2), ("ws.in:needle", [21], 2),
            ("body:needle", [23, 22], 3), ("sse.data:needle", [23], 4), ("ws:nothing", [], 1),
            ("ws:eneedl", [], 1), ("sse.data:\"needle\nb\"", [23], nil),
            ("sse.event=message", [23], nil),
        ] as [(String, [Int64], Int?)] {
            #expect(try searched.find(filter) == found, "\(filter)")
            #expect(try searched.proposedCount(filter) == proposed, "\(filter)")
        }
    }

    @Test func `a WebSocket that was open when indexed is found by messages that it carried later`()
        throws
    {
        let recorder = try searched.store.recorder()
        let open = recorder.nextExchangeID()
        recorder.record(Samples.socket(open, [Samples.message(0, "early")], state: .active))
        for _ in 0..<50 { recorder.recordSample() }
        try recorder.flush()
        let builder = searched.builder(lagCount: 5)
        while builder.step(lastExchangeID: 51, isInterrupted: { false }) {}
        builder.close()
        #expect(try searched.find("ws:early") == [1])
        var update = Samples.later(open)
        update.messages = [Samples.message(1, "late")]
        recorder.record(update)
        try recorder.flush()
        #expect(try searched.find("ws:late") == [1])
        recorder.record(Samples.later(open, .complete))
        recorder.stop()
        #expect(try searched.find("ws:late") == [1])
        #expect(try searched.find("msg:late body:x") == [])
    }

    @Test func `messages that exceed the size limit of a search file are still searched`() throws {
        let recorder = try searched.store.recorder()
        let part = String(repeating: "b", count: 1 << 20)
        recorder.record(
            Samples.socket(
                recorder.nextExchangeID(),
                (0..<5).map { Samples.message($0, $0 == 4 ? "\(part)needle" : part) }))
        recorder.stop()
        try searched.build(searched.builder())
        #expect(try searched.find("ws:needle") == [1])
        #expect(try searched.find("ws:nothing") == [])
    }

    @Test func `long and binary bodies are searched although search files leave them out`() throws {
        let recorder = try searched.store.recorder()
        for _ in 0..<20 { recorder.recordSample() }
        let long = [UInt8](repeating: 0x61, count: SearchSchema.bodyByteCountMax) + [0x62, 0x63]
        recorder.recordSample(responseBody: long)
        recorder.recordSample(requestBody: [UInt8](repeating: 0, count: 9) + Array("abc".utf8))
        recorder.stop()
        try searched.build(searched.builder())
        #expect(try searched.find("body:abc") == [22, 21])
        #expect(try searched.find("url:example.test").count == 22)
        #expect(try searched.proposedCount("body:abc") == 2)
        #expect(try searched.proposedCount("url:abc") == 0)
    }

    @Test
    func `exchanges that were still open when indexed, or were stored late, are found by search`()
        throws
    {
        let recorder = try searched.store.recorder()
        let open = recorder.nextExchangeID()
        let late = recorder.nextExchangeID()
        recorder.record(Samples.begun(open))
        for _ in 0..<50 { recorder.recordSample() }
        try recorder.flush()
        let builder = searched.builder(lagCount: 5)
        while builder.step(lastExchangeID: 52, isInterrupted: { false }) {}
        #expect(builder.indexedThrough == 47)
        var end = Samples.later(open, .complete)
        end.responseBody.set(Array("found-it".utf8))
        recorder.record(end)
        recorder.record(Samples.complete(late, "/found-it", responseBody: Array("found-it".utf8)))
        try recorder.flush()
        builder.noteInserted([late.rawValue])
        builder.close()
        #expect(try searched.find("body:found-it") == [2, 1])
        #expect(try searched.find("found-it") == [2])
        #expect(try searched.proposedCount("found-it") == 2)
        recorder.stop()
    }

    // MARK: The files

    @Test
    func `missing, damaged or foreign search files are rebuilt and do not change search results`()
        throws
    {
        var generator = SplitMix(seed: 7)
        try record(count: 200, &generator)
        let expected = try searched.find("body:token")
        try searched.build(searched.builder())
        #expect(searched.files.numbers == [1, 2, 3, 4, 5])
        try FileManager.default.removeItem(atPath: searched.files.path(3))
        try Data(repeating: 0x5A, count: 9_000).write(
            to: URL(filePath: searched.files.path(2)))
        try FileManager.default.copyItem(
            atPath: searched.files.path(1), toPath: searched.files.path(9))
        #expect(try searched.find("body:token") == expected)
        let builder = searched.builder()
        try searched.build(builder)
        try searched.build(builder)
        #expect(searched.files.numbers == [1, 2, 3, 4, 5])
        #expect(try searched.find("body:token") == expected)
    }

    @Test func `an interrupted step of search indexing is continued by the next step`() throws {
        var generator = SplitMix(seed: 8)
        try record(count: 30, &generator)
        let expected = try searched.find("body:token")
        let builder = searched.builder(exchangeCountMax: 1_000)
        var count = 0
        while builder.step(
            lastExchangeID: 30,
            isInterrupted: {
                count += 1; return count % 2 == 0
            })
        {}
        #expect(count > 60)
        builder.close()
        #expect(try searched.find("body:token") == expected)
        let file = try #require(try SearchFile(1, path: searched.files.path(1)))
        #expect(file.extent.throughID == 30)
    }

    @Test func `full search files are not changed, and new exchanges go into additional files`()
        throws
    {
        var generator = SplitMix(seed: 10)
        try record(count: 100, &generator)
        try searched.build(searched.builder())
        let numbers = searched.files.numbers
        #expect(numbers.count > 2)
        // Full files are not written again.
        let longAgo = Date(timeIntervalSince1970: 1_000_000_000)
        let full = numbers.dropLast().map(searched.files.path)
        for path in full {
            try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: path)
        }
        try record(count: 60, &generator)
        try searched.build(searched.builder())
        for path in full {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.modificationDate] as? Date == longAgo)
        }
        #expect(searched.files.numbers.count > numbers.count)
        #expect(try searched.find("url:example.test").count == 160)
    }

    @Test func `a search file is deleted after most of its exchanges were cleared`() throws {
        var generator = SplitMix(seed: 9)
        try record(count: 100, &generator)
        let recorder = try searched.store.recorder()
        let builder = searched.builder()
        while builder.step(lastExchangeID: 100, isInterrupted: { false }) {}
        builder.dropEmptied()
        #expect(searched.files.numbers == [1, 2, 3])
        _ = try recorder.clear(.exchanges((2...50).map { ExchangeID(rawValue: $0) }))
        recorder.stop()
        // Clearing made the recorder forget the files; ours know nothing of that.
        while builder.step(lastExchangeID: 100, isInterrupted: { false }) {}
        builder.dropEmptied()
        builder.close()
        #expect(!searched.files.numbers.contains(1))
        #expect(try searched.find("url:example.test").count == 51)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a recorder creates search files that only its user can read, and clearing deletes them`()
        async throws
    {
        let recorder = try searched.store.recorder()
        let count = Int(SearchSchema.lagCount) + 50
        for number in 0..<count { recorder.recordSample("/\(number)") }
        try recorder.flush()
        while searched.files.numbers.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(searched.store.mode("captures-search-1.sqlite") == 0o600)
        _ = try recorder.clear(.unpinned)
        #expect(searched.files.numbers.isEmpty)
        recorder.stop()
    }
}
