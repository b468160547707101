internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// The files beside a HAR log in its archive, in which Playwright keeps bodies: an entry names one
/// with `_file`. Names are only compared with those in the archive.
final class HARFiles {
    private var zip: ZIPReader
    private let members: [[UInt8]: ZIPMember]

    init(_ zip: ZIPReader, _ members: [[UInt8]: ZIPMember]) {
        self.zip = zip
        self.members = members
    }

    /// The bytes of the file that the body of a message names; nil if it names none, or one that is
    /// missing, damaged or too large.
    func bytes(_ body: JSONValue?) -> [UInt8]? {
        guard let name = body?["_file"]?.text, let member = members[Array(name.utf8)] else {
            return nil
        }
        return try? zip.bytes(member, byteCountMax: RawMessage<Never>.bodyByteCountMax)
    }
}
