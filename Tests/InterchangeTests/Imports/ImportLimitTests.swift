import ProxydHTTPModel
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Entries that are longer than memory should hold: they alone are left out.
struct ImportLimitTests {
    private struct Found: Equatable {
        var urls: [String] = []
        var problems: [String] = []
        var messageCount = 0
    }

    private func read(
        _ file: [UInt8], as format: ImportFormat? = nil, byteCountMax: Int, pieceByteCount: Int
    ) throws -> Found {
        var reader = InterchangeReader(format, byteCountMax: byteCountMax)
        var found = Found()
        func take(_ entry: InterchangeReader.Entry) {
            switch entry {
            case .success(.exchange(let imported)):
                found.urls.append(imported.exchange.request.url?.pathText ?? "")
            case .success(.messages(let messages)): found.messageCount += messages.count
            case .success(.leftOut): break
            case .failure(let problem): found.problems.append(problem.description)
            }
        }
        for start in stride(from: 0, to: file.count, by: pieceByteCount) {
            try reader.receive(Array(file[start...].prefix(pieceByteCount)), take)
        }
        try reader.finish(take)
        return found
    }

    private static let long = String(repeating: "x", count: 2_000)
    private static let pieceByteCounts = [1, 700, 1 << 20]

    private func entry(_ path: String, _ more: String = "") -> String {
        HARText.entry(url: "http://a.test/\(path)", more: more)
    }

    @Test(arguments: pieceByteCounts)
    func `a HAR entry over the size limit is left out and reported by its number`(count: Int) throws
    {
        let file = HARText.log(
            entry("1"), entry("2", #","comment":"\#(ImportLimitTests.long)""#), entry("3"))
        let found = try read(file, byteCountMax: 1_000, pieceByteCount: count)
        #expect(found.urls == ["/1", "/3"])
        #expect(found.problems == ["entry 2: it is longer than 512 MiB"])
    }

    @Test(arguments: pieceByteCounts)
    func `a HAR entry with a message over the size limit is left out`(count: Int) throws {
        let long = #"{"type":"send","data":"\#(ImportLimitTests.long)"}"#
        let short = #"{"type":"send","data":"a"}"#
        let file = HARText.log(
            entry("1", #","_webSocketMessages":[\#(short),\#(long),\#(short)]"#), entry("2"))
        let found = try read(file, byteCountMax: 1_000, pieceByteCount: count)
        #expect(found.urls == ["/2"])
        #expect(found.messageCount == 0)
        #expect(found.problems == ["entry 1: it is longer than 512 MiB"])
    }

    @Test(arguments: pieceByteCounts)
    func `a HAR entry whose messages together exceed the size limit is left out`(count: Int) throws
    {
        let message = #"{"type":"send","data":"\#(String(repeating: "x", count: 100))"}"#
        let all = Array(repeating: message, count: 20).joined(separator: ",")
        let file = HARText.log(entry("1", #","_webSocketMessages":[\#(all)]"#), entry("2"))
        let found = try read(file, byteCountMax: 1_000, pieceByteCount: count)
        #expect(found.urls == ["/2"])
        #expect(found.messageCount == 0)
        #expect(found.problems == ["entry 1: it is longer than 512 MiB"])
        #expect(
            try read(file, byteCountMax: 10_000, pieceByteCount: count).messageCount == 20)
    }

    @Test(arguments: pieceByteCounts)
    func `a JSON line over the size limit is left out and reported by its number`(count: Int) throws
    {
        func line(_ path: String, _ more: String = "") -> String {
            #"{"started_at":"2024-01-01T00:00:00Z","method":"GET","url":"http://a.test/\#(path)","#
                + #""request":{"headers":[["A","b"]]}\#(more)}"# + "\n"
        }
        let file = line("1") + line("2", #","note":"\#(ImportLimitTests.long)""#) + line("3")
        let found = try read(
            Array(file.utf8), as: .jsonl, byteCountMax: 1_000, pieceByteCount: count)
        #expect(found.urls == ["/1", "/3"])
        #expect(found.problems == ["line 2: it is longer than 512 MiB"])
        let last = try read(
            Array((line("1") + ImportLimitTests.long).utf8), as: .jsonl, byteCountMax: 1_000,
            pieceByteCount: count)
        #expect(last.problems == ["line 2: it is longer than 512 MiB"])
    }

    @Test(arguments: pieceByteCounts)
    func `a Charles transaction over the size limit is left out and reported by its number`(
        count: Int
    ) throws {
        func transaction(_ path: String, _ more: String = "") -> String {
            #"{"method":"GET","host":"a.test","path":"/\#(path)","request":{}\#(more)}"#
        }
        let file =
            "[\(transaction("1")),\(transaction("2", #","notes":"\#(ImportLimitTests.long)""#)),"
            + "\(transaction("3"))]"
        let found = try read(Array(file.utf8), byteCountMax: 1_000, pieceByteCount: count)
        #expect(found.urls == ["/1", "/3"])
        #expect(found.problems == ["entry 2: it is longer than 512 MiB"])
    }

    @Test(arguments: pieceByteCounts)
    func `a mitmproxy flow over the size limit is reported by its number, and later flows are read`(
        count: Int
    ) throws {
        let long = FlowText.dictionary([("x", FlowText.text(ImportLimitTests.long))])
        let other = FlowText.dictionary([("version", FlowText.integer(1))])
        let found = try read(long + other + long, byteCountMax: 1_000, pieceByteCount: count)
        #expect(found.problems.count == 3)
        #expect(found.problems.first == "flow 1: it is longer than 512 MiB")
        #expect(found.problems[1].hasPrefix("flow 2: only flows of the format versions"))
        #expect(found.problems.last == "flow 3: it is longer than 512 MiB")
    }

    @Test func `a file whose format cannot be recognized within the size limit is rejected`() throws
    {
        for start in ["{\"", " ", "{"] {
            let file = Array(start.utf8) + [UInt8](repeating: 0x20, count: 1 << 20)
            let found = try read(file, byteCountMax: 1_000, pieceByteCount: 1 << 16)
            #expect(found.problems.count == 1)
            #expect(found.problems.first?.hasPrefix("it is neither HAR nor JSON lines") == true)
        }
    }
}
