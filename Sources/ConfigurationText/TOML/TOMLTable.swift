/// The members of a table, in the order of the file.
public struct TOMLTable: Sendable {
    /// A key and its value.
    public struct Member: Sendable {
        /// The key with its escapes resolved.
        public let name: String
        /// The position of the key.
        public let position: TextPosition
        /// The value of the key.
        public let node: TOMLNode
    }

    /// All members; names are unique.
    public let members: [Member]
    private let indexOfName: [String: Int]

    init(_ members: [Member], indexOfName: [String: Int]) {
        self.members = members
        self.indexOfName = indexOfName
    }

    /// The member with this name, or nil.
    public subscript(name: String) -> Member? { indexOfName[name].map { members[$0] } }
}
