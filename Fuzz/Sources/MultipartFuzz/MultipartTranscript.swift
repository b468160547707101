internal import FuzzSupport
internal import ProxydParameterCoding

/// What a decoder said, data that came one after the other joined.
struct MultipartTranscript: Equatable {
    private(set) var events: [MultipartEvent] = []
    private(set) var error: MultipartError?

    init(_ decoder: MultipartDecoder, pieces: [[UInt8]]) {
        var decoder = decoder
        var found: [MultipartEvent] = []
        for piece in pieces where error == nil {
            do throws(MultipartError) {
                try decoder.receive(piece.span, into: &found)
            } catch {
                self.error = error
            }
        }
        decoder.finish(into: &found)
        for event in found { add(event) }
    }

    private mutating func add(_ event: MultipartEvent) {
        if case .data(let bytes) = event, case .data(let before)? = events.last {
            events.removeLast()
            events.append(.data(before + bytes))
        } else {
            events.append(event)
        }
    }

    /// Parts begin and end in turn, the end comes once and last, and nothing comes from nowhere.
    func check(_ limits: MultipartLimits, bodyByteCount: Int) {
        var isInPart = false
        var partCount = 0
        var dataByteCount = 0
        for (index, event) in events.enumerated() {
            switch event {
            case .part(let head):
                require(!isInPart, "a part in a part")
                isInPart = true
                partCount += 1
                _ = head.transferEncoding.decoded(Array("=3D=\r\nYWJj=".utf8))
            case .data(let bytes):
                require(isInPart && !bytes.isEmpty, "data outside of a part")
                dataByteCount += bytes.count
                checkEncodings(bytes)
            case .partEnd:
                require(isInPart, "a part ends that did not begin")
                isInPart = false
            case .end(let isComplete):
                require(index == events.count - 1, "something follows the end")
                require(!isComplete || (error == nil && !isInPart), "complete in spite of that")
            }
        }
        require(partCount <= limits.partCountMax, "too many parts")
        require(dataByteCount <= bodyByteCount, "data from nowhere")
        if let error {
            require((0...bodyByteCount).contains(error.offset), "a mistake outside of the body")
        }
    }

    private func checkEncodings(_ bytes: [UInt8]) {
        for encoding in [PartTransferEncoding.base64, .quotedPrintable] {
            require(encoding.decoded(bytes).count <= bytes.count, "decoding adds bytes")
        }
        require(PartTransferEncoding.none.decoded(bytes) == bytes, "none changes bytes")
    }
}
