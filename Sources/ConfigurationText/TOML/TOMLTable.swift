/// A table's members, in the order of the file.
public struct TOMLTable: Sendable {
    /// A key and its value.
    public struct Member: Sendable {
        /// The key, decoded.
        public let name: String
        /// Where the key stands.
        public let position: TextPosition
        /// The value.
        public let node: TOMLNode
    }

    /// All there are; no name is there twice.
    public let members: [Member]
    private let indexOfName: [String: Int]

    init(_ members: [Member], indexOfName: [String: Int]) {
        self.members = members
        self.indexOfName = indexOfName
    }

    /// The member of a name.
    public subscript(name: String) -> Member? { indexOfName[name].map { members[$0] } }
}
