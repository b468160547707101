/// What a `[[listener]]` table can say beside the address, the mode and the allowed clients.
package struct ListenerOptions: Sendable, Hashable {
    /// The name in records, and in `FileDescriptorName=` of a socket unit; nil for the short form.
    package var name: String?
    /// Whether each connection starts with a header of the PROXY protocol.
    package var expectsPROXYHeader = false
    /// The networks of the load balancers that may send such a header.
    package var trustedNetworks: [IPNetwork] = []
    /// The file with the users, an absolute path; nil for none. In a table, nil is for that of
    /// `[listen]`, and an empty text for none.
    package var usersFile: String?
    /// Mode transparent: whether the kernel delivers connections by TPROXY, unchanged, instead of
    /// redirecting them.
    package var usesTPROXY = false

    /// Creates options with the default values.
    package init() {}
}
