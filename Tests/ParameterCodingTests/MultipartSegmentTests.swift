import ProxydParameterCoding
import Testing

@Suite struct MultipartSegmentTests {
    private let end = Array("\r\n--B--\r\n".utf8)

    private func form() throws -> MultipartFormData {
        MultipartFormData(boundary: try MultipartBoundary("B"))
    }

    @Test func `files and streams of a multipart form are listed as segments without being read`()
        throws
    {
        var form = try form()
        form.append("x", name: "t")
        try form.append(fileAt: "/d/p.PNG", name: "f", fact: .file(byteCount: 7))
        form.append(streamID: 3, byteCount: 5, name: "s", filename: "s.txt")
        func head(_ lines: String, isFirst: Bool = false) -> [UInt8] {
            Array(((isFirst ? "" : "\r\n") + "--B\r\n" + lines + "\r\n\r\n").utf8)
        }
        let disposition = "Content-Disposition: form-data; name="
        let segments = try form.segments()
        #expect(
            segments == [
                .bytes(head(disposition + "\"t\"", isFirst: true)),
                .bytes([0x78]),
                .bytes(
                    head(disposition + "\"f\"; filename=\"p.PNG\"\r\nContent-Type: image/png")),
                .file(path: "/d/p.PNG", offset: 0, byteCount: 7),
                .bytes(head(disposition + "\"s\"; filename=\"s.txt\"")),
                .stream(id: 3, byteCount: 5),
                .bytes(end),
            ])
        #expect(form.byteCount == segments.reduce(0) { $0 + ($1.byteCount ?? 0) })
        #expect(throws: MultipartEncodingError.notInMemory(partIndex: 1)) { try form.encoded() }
    }

    @Test
    func `the length of a multipart form is unknown if it contains a stream of unknown length`()
        throws
    {
        var form = try form()
        form.append(streamID: 0, byteCount: nil, name: "s")
        #expect(form.byteCount == nil)
        #expect(try form.segments().contains(.stream(id: 0, byteCount: nil)))
    }

    @Test func `the length of a multipart form is unknown if it overflows`() throws {
        var form = try form()
        for _ in 0..<2 { try form.append(fileAt: "a", name: "f", fact: .file(byteCount: .max)) }
        #expect(form.byteCount == nil)
    }

    @Test
    func `directories, unreadable files and paths without a file name are rejected as form files`()
        throws
    {
        var form = try form()
        #expect(throws: MultipartEncodingError.notAFile(path: "/d")) {
            try form.append(fileAt: "/d", name: "f", fact: .notAFile)
        }
        #expect(throws: MultipartEncodingError.unreadable(path: "/d/x")) {
            try form.append(fileAt: "/d/x", name: "f", fact: .unreadable)
        }
        for path in ["", "/", "/d/", "..", "/d/."] {
            #expect(throws: MultipartEncodingError.fileNameMissing(path: path)) {
                try form.append(fileAt: path, name: "f", fact: .file(byteCount: 1))
            }
        }
        #expect(form.parts.isEmpty)
        try form.append(
            fileAt: "/dev/fd/", name: "f", filename: "n", contentType: "a/b",
            fact: .file(byteCount: 1))
        #expect(form.parts.first?.filename == "n")
        #expect(form.parts.first?.contentType == "a/b")
    }

    @Test
    func `a multipart file or stream whose length differs from the planned one throws an error`()
        throws
    {
        let file = MultipartSegment.file(path: "p", offset: 0, byteCount: 7)
        try file.verify(foundByteCount: 7)
        #expect(
            throws: MultipartEncodingError.fileLengthChanged(
                path: "p", expectedByteCount: 7, foundByteCount: 8)
        ) { try file.verify(foundByteCount: 8) }
        let rest = MultipartSegment.file(path: "p", offset: 5, byteCount: 2)
        try rest.verify(foundByteCount: 7)
        let stream = MultipartSegment.stream(id: 1, byteCount: 7)
        try stream.verify(foundByteCount: 7)
        #expect(
            throws: MultipartEncodingError.streamLengthMismatch(
                id: 1, expectedByteCount: 7, foundByteCount: 0)
        ) { try stream.verify(foundByteCount: 0) }
        try MultipartSegment.stream(id: 1, byteCount: nil).verify(foundByteCount: 9)
    }

    @Test(arguments: [
        ("a.png", "image/png"), ("A.JPeG", "image/jpeg"), ("/x.d/a.tar.gz", "application/gzip"),
        ("b.json", "application/json"), ("b.txt", "text/plain"), ("b.pdf", "application/pdf"),
        ("b.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("b", FileMediaType.unknown), (".png", FileMediaType.unknown),
        ("b.", FileMediaType.unknown),
        ("b.unknown", FileMediaType.unknown), ("/x.png/b", FileMediaType.unknown),
        ("", FileMediaType.unknown), ("b.é", FileMediaType.unknown),
    ])
    func `the media type of a file is derived from the extension of its name`(
        name: String, type: String
    ) {
        #expect(FileMediaType.mediaType(ofFileNamed: name) == type)
        #expect(MediaType(type)?.essence == type)
    }

    @Test(arguments: [
        ("text/html; charset=utf-8", "html"), ("IMAGE/JPEG", "jpg"), ("application/gzip", "gz"),
        ("application/octet-stream", nil), ("html", nil), ("", nil),
    ])
    func `a media type maps to its usual file extension, if it has one`(
        type: String, fileExtension: String?
    ) {
        #expect(FileMediaType.usualExtension(ofMediaType: type) == fileExtension)
    }
}
