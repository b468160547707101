internal import FuzzSupport
internal import ProxydHTTPModel
internal import ProxydInterchange

/// Archives that are said to be Fiddler's: whatever is in them, reading ends, takes no more memory
/// than is allowed, and passes on what is fit to be recorded.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = FuzzInput(start, count)
    let file = Bytes(bytes: Array(input.rest))
    var byteCount = 0
    do {
        var archive = try FiddlerArchive(file)
        try archive.read(progress: { _ in true }) { entry in
            switch entry {
            case .success(.exchange(let imported)):
                let update = imported.update(
                    id: ExchangeID(rawValue: 1), client: nil, server: nil, replayOf: nil)
                require(update.state != .active, "an exchange is read that never ends")
                byteCount += update.requestBody.appended.count
                byteCount += update.responseBody.appended.count
            case .success(.messages(let messages)):
                for message in messages {
                    require(message.position >= 0, "a message is read that cannot be")
                }
            case .success(.leftOut), .failure: break
            }
        }
    } catch {
        require(error is ImportProblem, "reading throws something else: \(error)")
    }
    require(byteCount <= (256 << 20) + 100 * file.bytes.count, "too much is unpacked")
    return 0
}

private struct Bytes: ArchiveFile {
    let bytes: [UInt8]

    var byteCount: Int64 { Int64(bytes.count) }

    func read(at offset: Int64, count: Int) -> [UInt8] {
        require(offset >= 0 && count >= 0, "a place is read that is not in the file")
        return Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
}
