# Needs SELLO_URL, EMAIL and PASSWORD of a new account, RUC of the business, P12 (path of its certificate) and P12_PASSWORD.
field() { node -pe "JSON.parse(require('fs').readFileSync(0))['$1']"; }
post() { curl -sS -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$SELLO_URL$1" -d "$2"; }

# A tenant, and somebody who owns it.
token=$(curl -sS "$SELLO_URL/auth/signup" -H 'Content-Type: application/json' \
  -d "{\"email\": \"$EMAIL\", \"password\": \"$PASSWORD\", \"name\": \"Ana Ruiz\", \"tenant_name\": \"Comercial Andina\"}" | field access_token)

# The business as the SRI knows it, and where it issues.
issuer=$(post /issuers "{\"ruc\": \"$RUC\", \"razon_social\": \"Comercial Andina S.A.\", \"direccion_matriz\": \"Av. Amazonas N34-451, Quito\", \"obligado_contabilidad\": true}" | field id)
establishment=$(post "/issuers/$issuer/establishments" '{"code": "001", "name": "Matriz", "address": "Av. Amazonas N34-451, Quito"}' | field id)
point=$(post "/issuers/$issuer/establishments/$establishment/emission-points" '{"code": "001", "initial_sequential": 1}' | field id)

# Its signing certificate: opened, checked, sealed; the password is forgotten.
curl -sS -H "Authorization: Bearer $token" "$SELLO_URL/issuers/$issuer/certificates" -F "file=@$P12" -F "password=$P12_PASSWORD" | field status

# A key for the program that issues. It is shown this once.
key=$(post /auth/api-keys '{"name": "Caja 1"}' | field key)

echo "SELLO_API_KEY=$key ISSUER_ID=$issuer ESTABLISHMENT_ID=$establishment EMISSION_POINT_ID=$point"
