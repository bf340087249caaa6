//! Components of the interface description that derived schemas do not give: shared value sets, list items by
//! reference, and the one value of each `object` property.

use std::collections::BTreeMap;

use utoipa::openapi::schema::{ArrayItems, Object, ObjectBuilder};
use utoipa::openapi::{OpenApi as Document, Ref, RefOr, Schema};

/// Prefix of the names of list replies: `Page_ApiKey` is a page of `ApiKey`.
const PAGE: &str = "Page_";

/// Completes the components of a document that has all its routes; `value_sets` are the sets that several properties share.
pub fn complete(
    document: &mut Document,
    value_sets: impl IntoIterator<Item = (&'static str, ObjectBuilder)>,
) {
    let components = document.components.get_or_insert_default();
    for (name, values) in value_sets {
        components.schemas.insert(name.to_owned(), values.into());
    }
    refer_to_items(&mut components.schemas);
    components.schemas.values_mut().for_each(name_objects);
}

/// Puts a reference in the place of each list's inlined item, so that a generated client has one type for an item of a
/// list and for the same resource read alone.
fn refer_to_items(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    let pages: Vec<String> = schemas.keys().filter(|name| name.starts_with(PAGE)).cloned().collect();
    for page in pages {
        let item = page.trim_start_matches(PAGE);
        if !schemas.contains_key(item) {
            continue;
        }
        if let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(&page)
            && let Some(RefOr::T(Schema::Array(data))) = object.properties.get_mut("data")
        {
            data.items = ArrayItems::RefOrSchema(Box::new(Ref::from_schema_name(item).into()));
        }
    }
}

/// Declares the example of an `object` property as its only value: clients tell resources apart by it.
fn name_objects(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(Object { properties, .. })) => {
            if let Some(RefOr::T(Schema::Object(object))) = properties.get_mut("object")
                && let Some(name) = object.example.clone()
            {
                object.enum_values = Some(vec![name]);
            }
        }
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(name_objects),
        RefOr::T(_) | RefOr::Ref(_) => {}
    }
}
