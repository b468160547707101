/// Which types were asked in one form of a method and have only the default of it, which asks in
/// another form.
///
/// Defaults that ask each other would go on for ever where a type has none of the forms; here each
/// sees that the other asked it.
enum AskedForm {
    /// Adapters that have no `adapt` with `async`.
    @TaskLocal static var adapter: ObjectIdentifier?
    /// Retriers that have no `retry` with `async`.
    @TaskLocal static var retrier: ObjectIdentifier?
    /// Serializers that have no `serialize(_:)`.
    @TaskLocal static var serializer: ObjectIdentifier?
}
