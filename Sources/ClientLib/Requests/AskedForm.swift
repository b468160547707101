/// The types whose default implementation of one method form was called and is now calling the
/// other form.
///
/// If a type implements no form, the defaults would call each other forever; here each can see that
/// the other called it.
enum AskedForm {
    /// An adapter without an `async` `adapt`.
    @TaskLocal static var adapter: ObjectIdentifier?
    /// A retrier without an `async` `retry`.
    @TaskLocal static var retrier: ObjectIdentifier?
    /// A serializer without `serialize(_:)`.
    @TaskLocal static var serializer: ObjectIdentifier?
}
