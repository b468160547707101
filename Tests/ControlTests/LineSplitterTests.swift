@testable import ProxydControl
import Testing

@Suite struct LineSplitterTests {
    @Test func `the line splitter finds the same lines wherever the stream is cut`() throws {
        let stream = Array("one\n\ntwo three\nrest\n".utf8)
        for cut in 0...stream.count {
            var splitter = LineSplitter()
            let lines =
                try splitter.receive(stream.span.extracting(0..<cut))
                + splitter.receive(stream.span.extracting(cut..<stream.count))
            #expect(
                lines.map { String(decoding: $0, as: UTF8.self) }
                    == ["one", "", "two three", "rest"])
        }
    }

    @Test func `the line splitter accepts a line as long as the limit and rejects a longer one`()
        throws
    {
        var splitter = LineSplitter(byteCountMax: 4)
        #expect(try splitter.receive(Array("abcd\nef".utf8).span).count == 1)
        #expect(throws: ControlError.self) { _ = try splitter.receive(Array("ghi".utf8).span) }
    }
}
