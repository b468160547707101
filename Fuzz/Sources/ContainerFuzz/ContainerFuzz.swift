internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydInterchange

/// Files in which HAR may be packed: gzip, UTF-16, an archive. Whatever is in them, reading ends,
/// unpacks no more than is allowed, and passes on what is fit to be recorded.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let cuts = input.choice()
    let bytes = Array(input.rest)
    do {
        var reader = InterchangeReader()
        for piece in Cuts.pieces(of: bytes, choice: cuts) { try reader.receive(piece, check) }
        try reader.finish(check)
        if var archive = try HARArchive(Bytes(bytes: bytes)) {
            try archive.read(progress: { _ in true }, check)
        }
    } catch {
        require(error is ImportProblem, "reading throws something else: \(error)")
    }
    return 0
}

private func check(_ entry: InterchangeReader.Entry) {
    guard case .success(.exchange(let imported)) = entry else { return }
    let update = imported.update(
        id: ExchangeID(rawValue: 1), client: nil, server: nil, replayOf: nil)
    require(update.state != .active, "an exchange is read that never ends")
    require(
        update.requestBody.byteCount >= Int64(update.requestBody.appended.count)
            && update.responseBody.byteCount >= Int64(update.responseBody.appended.count),
        "more of a body is kept than there was")
}

private struct Bytes: ArchiveFile {
    let bytes: [UInt8]

    var byteCount: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, count: Int) -> [UInt8] {
        require(offset >= 0 && count >= 0, "a place is read that is not in the file")
        return Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
}
