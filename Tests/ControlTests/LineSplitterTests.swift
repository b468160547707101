@testable import ProxydControl
import Testing

@Suite struct LineSplitterTests {
    @Test func `a control connection is split into the same lines wherever the reads end`() throws {
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

    @Test func `a line on a control connection may be as long as the limit, but not longer`()
        throws
    {
        var splitter = LineSplitter(byteCountMax: 4)
        #expect(try splitter.receive(Array("abcd\nef".utf8).span).count == 1)
        #expect(throws: ControlError.self) { _ = try splitter.receive(Array("ghi".utf8).span) }
    }
}
