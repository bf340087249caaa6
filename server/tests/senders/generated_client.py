"""Uses a client that was generated from the interface description: what it is given and gives has types."""

import os
import uuid

from generated import AuthenticatedClient
from generated.api.api_keys import create_api_key
from generated.api.incidents import list_incidents
from generated.api.infrastructure_sources import create_source, get_source, list_sources
from generated.models import (
    ApiKeyShownOnce,
    Error,
    InfrastructureSource,
    InfrastructureSourceObject,
    NewApiKey,
    NewInfrastructureSource,
    Scope,
    Severity,
)

client = AuthenticatedClient(base_url=os.environ["PALISADE_URL"], token=os.environ["PALISADE_API_KEY"])

source = create_source.sync(client=client, body=NewInfrastructureSource(name="generated"))
assert isinstance(source, InfrastructureSource), source
assert source.object_ is InfrastructureSourceObject.INFRASTRUCTURE_SOURCE
page = list_sources.sync(client=client, limit=10)
assert all(isinstance(item, InfrastructureSource) for item in page.data), page
assert page.data[0] == source and page.pagination.total == len(page.data)

key = create_api_key.sync(client=client, body=NewApiKey(name="narrow", scopes=[Scope.INCIDENTSREAD]))
assert isinstance(key, ApiKeyShownOnce) and key.scopes == [Scope.INCIDENTSREAD], key
narrow = AuthenticatedClient(base_url=os.environ["PALISADE_URL"], token=key.key)
incidents = list_incidents.sync(client=narrow, severity=Severity.HIGH)
assert incidents.data == [], incidents
refused = get_source.sync(client=narrow, source_id=source.id)
assert isinstance(refused, Error) and refused.error.code.value == "forbidden", refused
missing = get_source.sync(client=client, source_id=uuid.uuid4())
assert isinstance(missing, Error) and missing.error.code.value == "not_found", missing
print("done")
