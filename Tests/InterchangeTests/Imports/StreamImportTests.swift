import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Files of every format that is read from its start to its end, cut and changed at each place.
struct StreamImportTests {
    private static let files: [(name: String, bytes: [UInt8])] = {
        let har = HARText.log(
            HARText.entry(
                headers: #"{"name":"A","value":"b\u00e9"}"#,
                request: #","postData":{"text":"x","mimeType":"text/plain"}"#,
                response: #"{"status":200,"content":{"text":"YQ==","encoding":"base64"}}"#),
            HARText.entry(
                url: "ws://a.test/", response: #"{"status":101}"#,
                more: #","_webSocketMessages":[{"type":"send","opcode":1,"data":"a"}]"#))
        let line =
            #"{"id":1,"started_at":"2024-01-01T00:00:00Z","method":"GET","url":"http://a.test/","#
            + #""request":{"headers":[["A","b"]]},"status":200,"response":{"headers":[]}}"# + "\n"
            + #"{"message_of":1,"position":0,"direction":"to_client","kind":"text","text":"x"}"#
        let charles =
            #"[{"method":"GET","host":"a.test","request":{"header":{"headers":[]}},"#
            + #""times":{"start":"2024-01-01T00:00:00Z"},"response":{"status":200}}]"#
        let flow = FlowText.dictionary([
            ("type", FlowText.text("http")), ("version", FlowText.integer(21)),
            (
                "request",
                FlowText.dictionary([
                    ("method", FlowText.bytes("GET")), ("host", FlowText.text("a.test")),
                    ("port", FlowText.integer(80)), ("path", FlowText.bytes("/")),
                    (
                        "headers",
                        FlowText.list([
                            FlowText.list([FlowText.bytes("A"), FlowText.bytes("b")])
                        ])
                    ), ("timestamp_start", FlowText.float(1_700_000_000.5)),
                ])
            ),
        ])
        return [
            ("HAR", har), ("JSON lines", Array(line.utf8)), ("Charles", Array(charles.utf8)),
            ("mitmproxy", flow + flow),
        ]
    }()

    private func outcomes(_ bytes: [UInt8], pieceByteCount: Int = 1 << 20) throws -> [String] {
        try InterchangeReader.entries(of: bytes, pieceByteCount: pieceByteCount).map { entry in
            switch entry {
            case .success(let imported):
                "\(imported.exchange.request.url?.description ?? "") \(imported.messages.count)"
            case .failure(let problem): problem.description
            }
        }
    }

    @Test
    func `an import file cut off at any byte gives at most one more entry than the complete file`()
        throws
    {
        for (name, bytes) in StreamImportTests.files {
            let whole = try outcomes(bytes)
            #expect(!whole.isEmpty, "\(name)")
            for end in 1..<bytes.count {
                let cut = try outcomes(Array(bytes.prefix(end)))
                #expect(cut.count <= whole.count + 1, "\(name) at \(end)")
            }
        }
    }

    @Test
    func `a damaged import file gives the same entries however large the pieces it is read in`()
        throws
    {
        var random = SplitMix(seed: 31)
        for (name, bytes) in StreamImportTests.files {
            for _ in 0..<150 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: changed.indices, using: &random)
                    changed[index] =
                        Bool.random(using: &random)
                        ? Array("{}[]\",:0\\\n".utf8).pick(&random)
                        : UInt8.random(in: .min ... .max, using: &random)
                }
                let whole = try outcomes(changed)
                for count in [1, 3, 64] {
                    #expect(
                        try outcomes(changed, pieceByteCount: count) == whole,
                        "\(name): \(String(decoding: changed, as: UTF8.self))")
                }
            }
        }
    }

    @Test func `importing any file as any text format yields at least one exchange or error`()
        throws
    {
        for format in [ImportFormat.har, .jsonl, .mitmproxy, .chlsj] {
            for (_, bytes) in StreamImportTests.files {
                var reader = InterchangeReader(format)
                var exchangeCount = 0
                var problemCount = 0
                func take(_ entry: InterchangeReader.Entry) {
                    switch entry {
                    case .success(.exchange): exchangeCount += 1
                    case .success: break
                    case .failure: problemCount += 1
                    }
                }
                try reader.receive(bytes, take)
                try reader.finish(take)
                #expect(exchangeCount > 0 || problemCount > 0)
            }
        }
    }

    @Test(
        arguments: [
            ([0x50, 0x4B, 3, 4], ImportFormat.saz), ([0x50, 0x4B, 5, 6], .saz),
            ([0x0A, 0x0D, 0x0D, 0x0A], .pcapng), ([0xD4, 0xC3, 0xB2, 0xA1], .pcapng),
            ([0x4D, 0x3C, 0xB2, 0xA1], .pcapng), ([0x50, 0x4B, 1, 2], nil), ([0x50, 0x4B], nil),
            ([], nil), ([0x7B, 0x22], nil),
        ] as [([UInt8], ImportFormat?)])
    func `binary import formats are recognized by the first bytes of the file`(
        start: [UInt8], format: ImportFormat?
    ) {
        #expect(ImportFormat.binary(start + [0, 0]) == format)
        if let format { #expect(format.isReadInAnyOrder) }
    }
}
