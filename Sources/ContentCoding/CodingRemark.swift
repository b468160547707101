/// Why a layer that Content-Encoding names was left alone: the bytes of the body do not have it.
/// They are passed on as they are, so nothing is lost.
public enum CodingRemark: Sendable, Hashable {
    /// The coding is not known to this module.
    case unknown(String)
    /// The bytes do not begin like the coding.
    case absent(Coding)
}

extension CodingRemark: CustomStringConvertible {
    /// A message for the user; it never contains bytes of the content or of its head.
    public var description: String {
        switch self {
        case .unknown: "the content coding is not known: the bytes are as they came"
        case .absent(let coding):
            "the content is not \(coding.rawValue): the bytes are as they came"
        }
    }
}
