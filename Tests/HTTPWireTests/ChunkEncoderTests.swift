import ProxydHTTPModel
import ProxydHTTPWire
import ProxydTestSupport
import Testing

@Suite struct ChunkEncoderTests {
    private func fields(_ lines: String) throws -> HeaderFields {
        try HeadParser.parseTrailers(WireText.bytes(lines + "\n"))
    }

    @Test func `the chunk encoder writes hexadecimal sizes and a final chunk of size zero`() {
        var output: [UInt8] = []
        for count in [1, 15, 16, 255, 65_536] {
            ChunkEncoder.writeChunkHeader(byteCount: count, into: &output)
            ChunkEncoder.writeChunkEnd(into: &output)
        }
        ChunkEncoder.writeLastChunk(trailers: nil, into: &output)
        #expect(
            WireText.escaped(output)
                == "1\\r\\n\\r\\nf\\r\\n\\r\\n10\\r\\n\\r\\n"
                + "ff\\r\\n\\r\\n10000\\r\\n\\r\\n0\\r\\n\\r\\n"
        )
    }

    @Test func `the chunk encoder writes nothing for an empty chunk, which would end the body`() {
        var output: [UInt8] = []
        ChunkEncoder.writeChunkHeader(byteCount: 0, into: &output)
        ChunkEncoder.writeChunkHeader(byteCount: -1, into: &output)
        #expect(output.isEmpty)
    }

    @Test func `trailers are forwarded except for framing, routing and hop-by-hop fields`() throws {
        var output: [UInt8] = []
        let trailers = try fields(
            "A:  b\nContent-Length: 3\nHost: x\nTransfer-Encoding: chunked\nConnection: q\n"
                + "Q: r\nKeep-Alive: x\nTE: x\nUpgrade: x\nSet-Cookie: a=b\nDigest: x\n"
        )
        ChunkEncoder.writeLastChunk(trailers: trailers, into: &output)
        #expect(
            WireText.escaped(output)
                == "0\\r\\nA:  b\\r\\nSet-Cookie: a=b\\r\\nDigest: x\\r\\n\\r\\n"
        )
    }

    @Test func `a body and trailers written by the chunk encoder are decoded unchanged`() {
        let data = Array("hello".utf8)
        var bytes = Array("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        ChunkEncoder.writeChunkHeader(byteCount: data.count, into: &bytes)
        bytes += data
        ChunkEncoder.writeChunkEnd(into: &bytes)
        ChunkEncoder.writeLastChunk(trailers: HeaderFields([("A", "b")]), into: &bytes)
        #expect(
            Transcript.ofRequests([bytes[...]]).suffix(3) == ["body hello", "trailer A: b", "end"]
        )
    }
}
