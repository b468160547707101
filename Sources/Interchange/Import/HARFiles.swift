internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// The files beside a HAR log in its archive, in which Playwright keeps bodies: an entry names one
/// with `_file`. Names are only compared with those in the archive.
final class HARFiles {
    private var zip: ZIPReader
    private let folder: [UInt8]
    private let members: [[UInt8]: ZIPMember]

    /// - Parameter log: The name of the log, beside which the files are.
    init(_ zip: ZIPReader, _ members: [[UInt8]: ZIPMember], log: [UInt8]) {
        let end = log.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        folder = Array(log[..<end])
        self.zip = zip
        self.members = members
    }

    /// The bytes of the file that the body of a message names; nil if it names none, or one that is
    /// missing, damaged or too large.
    func bytes(_ body: JSONValue?) -> [UInt8]? {
        guard let name = body?["_file"]?.text, let member = members[folder + name.utf8] else {
            return nil
        }
        return try? zip.bytes(member, byteCountMax: RawMessage<Never>.bodyByteCountMax)
    }
}
